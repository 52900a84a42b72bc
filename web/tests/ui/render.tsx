import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render } from "@testing-library/react";
import type { ReactNode } from "react";
import { createMemoryRouter, RouterProvider } from "react-router";
import { AppTheme } from "@/theme/AppTheme";
import { ConfirmProvider } from "@/ui/confirm";

/** A page as the application would show it, at an address. */
export function renderPage(page: ReactNode, address = "/") {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const router = createMemoryRouter([{ path: "*", element: <ConfirmProvider>{page}</ConfirmProvider> }], { initialEntries: [address] });
  const screen = render(
    <QueryClientProvider client={client}>
      <AppTheme>
        <RouterProvider router={router} />
      </AppTheme>
    </QueryClientProvider>,
  );
  return { ...screen, router, client };
}
