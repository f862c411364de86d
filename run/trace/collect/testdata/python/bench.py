import time


def called():
    pass


def loop(n):
    begin = time.thread_time_ns()
    for _ in range(n):
        called()
    return time.thread_time_ns() - begin


def empty(n):
    begin = time.thread_time_ns()
    for _ in range(n):
        pass
    return time.thread_time_ns() - begin


N = 2000
loop(N)
print(min(loop(N) for _ in range(160)) / N - min(empty(N) for _ in range(160)) / N)
