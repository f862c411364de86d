class Solver:
    def __init__(self):
        self.n = 0

    @property
    def size(self):
        return self.n

    @staticmethod
    def scale(x):
        return 2 * x

    @classmethod
    def make(cls):
        return cls()

    def run(self, steps):
        def step():
            self.n += 1

        for _ in range(steps):
            step()
        return self.size

    def __lt__(self, other):
        return self.n < other.n


a, b = Solver.make(), Solver()
a.run(3)
b.run(2)
Solver.scale(1)
b < a
list(map(lambda x: x + 1, [1, 2, 3, 4]))
