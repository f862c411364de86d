import subprocess
import sys

inner = "def inner(): pass\nfor _ in range(%d): inner()"


def start(n, *flags):
    subprocess.run([sys.executable, *flags, "-c", inner % n], check=True)


start(1)
start(2, "-I")
start(3, "-S")
start(4, "-E", "-s", "-B")
