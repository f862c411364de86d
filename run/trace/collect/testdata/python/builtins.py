import math


def work(n):
    values = []
    for i in range(n):
        values.append(len("abc"))
    math.sqrt(2)
    try:
        math.sqrt(-1)
    except ValueError:
        pass
    return sorted(values)


def quiet():
    return 1


work(3)
quiet()
work(2)
