import threading


def step(i):
    return i


def worker(n):
    for i in range(n):
        step(i)


worker(2)
for n in (3, 4, 5):
    t = threading.Thread(target=worker, args=(n,))
    t.start()
    t.join()
