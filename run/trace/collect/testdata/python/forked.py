import multiprocessing
import os


def square(n):
    return n * n


def child(n):
    for i in range(n):
        square(i)


if __name__ == "__main__":
    square(1)
    for method in ("fork", "spawn"):
        context = multiprocessing.get_context(method)
        p = context.Process(target=child, args=(3,))
        p.start()
        p.join()
        assert p.exitcode == 0
    pid = os.fork()
    if pid == 0:
        child(4)
        os._exit(0)
    os.waitpid(pid, 0)
