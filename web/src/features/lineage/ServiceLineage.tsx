/** What a service is made of, back to the people who annotated: package, model, run, dataset. */
import { useQuery } from "@tanstack/react-query";
import { api, unwrap } from "@/api/client";
import { ErrorState } from "@/ui/ErrorState";
import { Loading } from "@/ui/Loading";
import { LineageShown } from "./LineageTab";

/** `deployment`: what answers now; with another one the lineage is another. */
export function ServiceLineage({ project, service, deployment }: { project: string; service: string; deployment: string }) {
  const lineage = useQuery({
    queryKey: ["services", project, service, "lineage", deployment],
    queryFn: () => unwrap(api.GET("/api/v1/projects/{project}/services/{service}/lineage", { params: { path: { project, service } } })),
  });
  if (lineage.isPending) return <Loading />;
  if (lineage.isError) return <ErrorState error={lineage.error} onRetry={() => void lineage.refetch()} />;
  return <LineageShown lineage={lineage.data} of={`${service} ${deployment}`} />;
}
