def bad(n):
    if n == 0:
        raise ValueError(n)
    bad(n - 1)


def caught(n):
    try:
        bad(n)
    except ValueError:
        return 1


def gone():
    yield 1
    raise KeyError


for n in range(4):
    caught(n)
g = gone()
next(g)
try:
    next(g)
except KeyError:
    pass
h = gone()
next(h)
try:
    h.throw(IndexError)
except IndexError:
    pass
