def numbers(n):
    for i in range(n):
        yield i


def twice(n):
    yield from numbers(n)
    yield from numbers(n)


def stopped():
    try:
        while True:
            yield 1
    finally:
        pass


sum(numbers(5))
sum(twice(2))
sum(i for i in (1, 2, 3))
g = stopped()
next(g)
next(g)
g.close()
