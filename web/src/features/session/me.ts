/** Who is signed in and what they may do. */
import { queryOptions, useQuery, useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { useCallback } from "react";
import { api, unwrap } from "@/api/client";
import { sessionGate } from "@/api/session-gate";
import type { MeView } from "@/api/types";
import { parseLanguage, setLanguage } from "@/i18n";
import type { PlatformPermission } from "@/lib/permissions";

export const meQuery = queryOptions({
  queryKey: ["me"],
  queryFn: async () => {
    const me = await unwrap(api.GET("/api/v1/session"));
    sessionGate.arm();
    await speakLanguageOf(me);
    return me;
  },
  staleTime: 60_000,
  retry: false,
});

export const metaQuery = queryOptions({
  queryKey: ["meta"],
  queryFn: () => unwrap(api.GET("/api/v1/meta")),
  staleTime: Infinity,
});

/** The signed-in user; only for what is shown behind the sign-in. */
export function useMe(): MeView {
  return useSuspenseQuery(meQuery).data;
}

/** What the server says about itself: version, password length, upload limits. */
export function useMeta() {
  return useQuery(metaQuery).data;
}

/** Whether the user may do this anywhere on the platform. For a project's permissions see `useProjectPermission`. */
export function usePermission(permission: PlatformPermission): boolean {
  return useMe().permissions.includes(permission);
}

export async function signIn(credentials: { user: string; password: string }): Promise<MeView> {
  const me = await unwrap(api.POST("/api/v1/session", { body: credentials }));
  await speakLanguageOf(me);
  sessionGate.signedIn();
  return me;
}

export function useSignOut(): () => Promise<void> {
  const client = useQueryClient();
  return useCallback(async () => {
    await unwrap(api.DELETE("/api/v1/session"));
    sessionGate.disarm();
    client.clear();
  }, [client]);
}

async function speakLanguageOf(me: MeView): Promise<void> {
  const language = parseLanguage(me.language);
  if (language) await setLanguage(language);
}
