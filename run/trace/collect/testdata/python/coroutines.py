import asyncio


async def work(turns):
    for _ in range(turns):
        await asyncio.sleep(0)
    return turns


async def numbers(n):
    for i in range(n):
        yield i
        await asyncio.sleep(0)


async def main():
    async for _ in numbers(2):
        pass
    await asyncio.gather(work(1), work(3))


asyncio.run(main())
