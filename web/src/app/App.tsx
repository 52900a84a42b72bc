import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { Suspense } from "react";
import { RouterProvider } from "react-router/dom";
import { ApiFailure } from "@/api/failure";
import { AppTheme } from "@/theme/AppTheme";
import { Splash } from "@/ui/Splash";
import { router } from "./router";

const MAX_RETRIES = 2;

const client = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // A refusal will be repeated; only a server that is away or broken is worth asking again.
      retry: (count, error) => count < MAX_RETRIES && !(error instanceof ApiFailure && error.status < 500),
    },
  },
});

export function App() {
  return (
    <QueryClientProvider client={client}>
      <AppTheme>
        <Suspense fallback={<Splash />}>
          <RouterProvider router={router} />
        </Suspense>
      </AppTheme>
    </QueryClientProvider>
  );
}
