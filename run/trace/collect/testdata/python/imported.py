import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import helper


def own():
    return helper.double(2) + helper.shared()


def shared():
    return 1


own()
shared()
json.loads("[1]")
