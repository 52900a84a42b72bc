import { api, unwrap } from "@/api/client";
import { sessionGate } from "@/api/session-gate";
import type { MeView } from "@/api/types";
import { signIn } from "./me";

/** Changing a password ends every session, this one too; so it signs in again at once with the new one. */
export function changePassword(user: string, oldPassword: string, newPassword: string): Promise<MeView> {
  return sessionGate.hold(async () => {
    await unwrap(api.POST("/api/v1/me/password", { body: { old_password: oldPassword, new_password: newPassword } }));
    return signIn({ user, password: newPassword });
  });
}
