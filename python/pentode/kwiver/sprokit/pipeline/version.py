"""The version of KWIVER that these modules replace."""


class runtime:
    major, minor, patch = 1, 8, 0
    version_string = "1.8.0"
    git_build = False
    git_hash = git_hash_short = git_dirty = ""

    @classmethod
    def check(cls, major: int, minor: int, patch: int) -> bool:
        """Report whether the version is at least the given one."""
        return (cls.major, cls.minor, cls.patch) >= (major, minor, patch)


compile = runtime
