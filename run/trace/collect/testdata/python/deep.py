import sys


def down(n):
    return 0 if n == 0 else 1 + down(n - 1)


def after():
    return 1


sys.setrecursionlimit(5000)
down(2999)
after()
