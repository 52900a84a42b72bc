import { shellQuote } from "@/lib/shell";
import type { EnvironmentSsh, EnvironmentView } from "./types";

/** An entry of ~/.ssh/config. A host pattern holds no spaces, so the name is written without them. */
export function sshConfig({ name, ssh }: Pick<EnvironmentView, "name" | "ssh">): string {
  const alias = name.replace(/[^\p{L}\p{N}._-]+/gu, "-");
  return [`Host ${alias}`, `  HostName ${ssh.host}`, `  Port ${ssh.port}`, `  User ${/\s/.test(ssh.user) ? `"${ssh.user}"` : ssh.user}`].join("\n");
}

/** Brings a port of the environment to the user's own machine. */
export function tunnelCommand({ host, port, user }: EnvironmentSsh, remote: number): string {
  return `ssh -N -L ${remote}:127.0.0.1:${remote} -p ${port} ${shellQuote(`${user}@${host}`)}`;
}
