class Journal < Formula
  desc "Keeps what coding agents do, and restores what a compaction took"
  homepage "{{.Site}}"
  version "{{.Version}}"
  license "MIT"

  on_macos do
    on_arm do
      url "{{url "darwin/arm64"}}"
      sha256 "{{sha "darwin/arm64"}}"
    end
    on_intel do
      url "{{url "darwin/amd64"}}"
      sha256 "{{sha "darwin/amd64"}}"
    end
  end
  on_linux do
    on_arm do
      url "{{url "linux/arm64"}}"
      sha256 "{{sha "linux/arm64"}}"
    end
    on_intel do
      url "{{url "linux/amd64"}}"
      sha256 "{{sha "linux/amd64"}}"
    end
  end

  def install
    bin.install "journal", "journal-hook"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/journal.bash" => "journal"
    zsh_completion.install "completions/_journal"
    fish_completion.install "completions/journal.fish"
  end

  def caveats
    <<~TEXT
      Begin with: journal install
      Before you remove it: journal uninstall, which takes the hooks out of the agents' settings.
    TEXT
  end

  test do
    assert_match "journal ", shell_output("#{bin}/journal version")
  end
end
