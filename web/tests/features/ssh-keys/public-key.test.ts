import { describe, expect, it } from "vitest";
import { keyProblem } from "@/features/ssh-keys/public-key";

describe("a pasted key", () => {
  it("may be any public key of OpenSSH, with or without a comment", () => {
    const keys = ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ7 lin@laptop", "ssh-rsa AAAAB3NzaC1yc2E=", "ecdsa-sha2-nistp256 AAAAE2VjZHNh", "sk-ssh-ed25519@openssh.com AAAAGnNr"];
    expect(keys.filter((key) => keyProblem(`  ${key}\n`) !== null)).toEqual([]);
  });

  it("is refused with the reason", () => {
    expect(keyProblem("  ")).toBe("missing");
    expect(keyProblem("-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA")).toBe("private");
    expect(keyProblem("hello")).toBe("wrong");
    expect(keyProblem("ssh-ed25519 AAAA\nssh-rsa AAAA")).toBe("wrong");
  });
});
