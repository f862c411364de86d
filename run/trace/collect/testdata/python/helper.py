def double(x):
    return 2 * x


def shared():
    return 2
