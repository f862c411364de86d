# Not tested with a release yet.
class Pentode < Formula
  desc "Workbench for the configuration of a scientific run"
  homepage "https://github.com/pentode-dev/pentode"
  url "https://github.com/pentode-dev/pentode.git", tag: "v0.1.0"
  license "Apache-2.0"

  depends_on "go" => :build

  def install
    system "go", "build", *std_go_args(ldflags: "-s -w"), "./cmd/pentode"
    (lib/"pentode/python").install "python/pentode"
    generate_completions_from_executable(bin/"pentode", "completion")
  end

  test do
    system bin/"pentode", "init", "--run", "squares"
    system bin/"pentode", "check", "--strict", "squares"
  end
end
