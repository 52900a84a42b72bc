/** Judges what was pasted as a public key; the server reads it properly. */
export type KeyProblem = "missing" | "private" | "wrong";

const PUBLIC_KEY = /^(ssh-ed25519|ssh-rsa|ecdsa-sha2-nistp(256|384|521)|sk-ssh-ed25519@openssh\.com|sk-ecdsa-sha2-nistp256@openssh\.com)\s+[A-Za-z0-9+/]+={0,2}([ \t].*)?$/;

export function keyProblem(text: string): KeyProblem | null {
  const key = text.trim();
  if (key === "") return "missing";
  if (/PRIVATE KEY/.test(key)) return "private";
  return PUBLIC_KEY.test(key) ? null : "wrong";
}

