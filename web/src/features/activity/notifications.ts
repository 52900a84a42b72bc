import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "@/api/client";
import { notificationsKey, usePollInterval } from "./live-events";

const SHOWN = 20;

export function useNotifications() {
  const refetchInterval = usePollInterval();
  return useQuery({
    queryKey: notificationsKey,
    queryFn: () => unwrap(api.GET("/api/v1/me/notifications", { params: { query: { limit: SHOWN } } })),
    refetchInterval,
  });
}

/** Marks some as read, or all when none are named. */
export function useMarkRead() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (ids?: string[]) => unwrap(api.POST("/api/v1/me/notifications/read", { body: { ids } })),
    onSuccess: () => client.invalidateQueries({ queryKey: notificationsKey }),
  });
}
