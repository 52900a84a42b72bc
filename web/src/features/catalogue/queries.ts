import { queryOptions } from "@tanstack/react-query";
import { listCatalogue } from "./api";

export const catalogueKey = ["catalogue"] as const;
/** While something is being installed it is looked at again this often. */
const INSTALLING_MS = 2000;

export const catalogueQuery = queryOptions({
  queryKey: [...catalogueKey, "all"],
  queryFn: listCatalogue,
  refetchInterval: (query) => (query.state.data?.items.some((entry) => entry.state === "installing") ? INSTALLING_MS : false),
});
