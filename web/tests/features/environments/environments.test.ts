// @vitest-environment jsdom
import { describe, expect, it } from "vitest";
import { bodyOf, environmentCommand, NEW_ENVIRONMENT } from "@/features/environments/environment-values";
import { nextName } from "@/features/environments/EnvironmentForms";
import { sshConfig, tunnelCommand } from "@/features/environments/ssh-config";

const ssh = { is_enabled: true, command: "", host: "mill.example", port: 8722, user: "lab.trial", password: null };

describe("a new dev environment", () => {
  it("is sent without the rows that were left empty, and started", () => {
    const body = bodyOf({ ...NEW_ENVIRONMENT, name: " trial ", algorithms: ["resnet@3", null], spec: "small" });
    expect(body).toMatchObject({ name: "trial", algorithms: ["resnet@3"], models: [], spec: "small", password: null, start: true });
  });

  it("sends one's own password only when that was chosen", () => {
    expect(bodyOf({ ...NEW_ENVIRONMENT, password_from: "own", password: "long-enough" }).password).toBe("long-enough");
    expect(bodyOf({ ...NEW_ENVIRONMENT, password_from: "generated", password: "typed before" }).password).toBeNull();
  });

  it("is the same as a command, safe to paste", () => {
    const command = environmentCommand("lab", { ...NEW_ENVIRONMENT, name: "it's $HOME", spec: "small", datasets: ["boats@2"], models: ["bert"] });
    expect(command).toContain(`'it'\\''s $HOME'`);
    expect(command).toContain("--dataset boats@2 --model bert");
    expect(command).toContain("--spec small");
  });
});

describe("the name of a copy", () => {
  it("counts up and stays a name", () => {
    expect(nextName("train")).toBe("train-2");
    expect(nextName("train-9")).toBe("train-10");
    expect(nextName("环".repeat(50))).toBe(`${"环".repeat(48)}-2`);
  });
});

describe("SSH", () => {
  it("is configured under a name without spaces", () => {
    expect(sshConfig({ name: "my env 一", ssh })).toBe("Host my-env-一\n  HostName mill.example\n  Port 8722\n  User lab.trial");
  });

  it("brings a port home", () => {
    expect(tunnelCommand(ssh, 6006)).toBe("ssh -N -L 6006:127.0.0.1:6006 -p 8722 lab.trial@mill.example");
  });
});
