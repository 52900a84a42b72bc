import { createBrowserRouter, Outlet } from "react-router";
import type { RouteObject } from "react-router";
import { RequireSession } from "@/features/session/RequireSession";
import { ConfirmProvider } from "@/ui/confirm";
import { NotFound } from "@/ui/NotFound";
import { Splash } from "@/ui/Splash";
import { Crash } from "./Crash";
import { Guarded } from "./Guarded";
import { Home } from "./Home";
import { ProjectScope } from "./ProjectScope";
import { rooms } from "./rooms";
import type { FeaturePage } from "./rooms";

/** What a route carries for the breadcrumb. */
export interface RouteHandle {
  crumb?: FeaturePage["crumb"];
}

function routesOf(scope: FeaturePage["scope"], isFullWindow = false): RouteObject[] {
  return rooms.flatMap((room) => room.pages.filter((page) => page.scope === scope && (page.isFullWindow ?? false) === isFullWindow).map(routeOf));
}

function routeOf(page: FeaturePage): RouteObject {
  const where = page.path === "" ? { index: true as const } : { path: page.path };
  return {
    ...where,
    handle: { crumb: page.crumb } satisfies RouteHandle,
    errorElement: <Crash />,
    lazy: async () => {
      const { default: Page } = await page.load();
      return {
        element: (
          <Guarded page={page}>
            <Page />
          </Guarded>
        ),
      };
    },
  };
}

/** Questions are asked inside the router, so that a dialog can link to what is in the way. */
const asking = (
  <ConfirmProvider>
    <Outlet />
  </ConfirmProvider>
);

export const router = createBrowserRouter([
  {
    element: asking,
    children: [
      {
        path: "/sign-in",
        hydrateFallbackElement: <Splash />,
        errorElement: <Crash />,
        lazy: async () => ({ Component: (await import("@/features/session/SignInPage")).default }),
      },
      {
        element: <RequireSession />,
        errorElement: <Crash />,
        hydrateFallbackElement: <Splash />,
        children: [
          { path: "p/:project", element: <ProjectScope />, children: routesOf("project", true) },
          {
            // The frame is as large as all pages together; whoever only signs in does not wait for it.
            lazy: async () => ({ Component: (await import("./Frame")).Frame }),
            children: [
              { index: true, element: <Home /> },
              { path: "p/:project", element: <ProjectScope />, children: routesOf("project") },
              { path: "admin", children: routesOf("platform") },
              {
                path: "account",
                handle: { crumb: { label: "page.account" } } satisfies RouteHandle,
                errorElement: <Crash />,
                lazy: async () => ({ Component: (await import("@/features/account/AccountPage")).default }),
              },
              { path: "*", element: <NotFound /> },
            ],
          },
        ],
      },
    ],
  },
]);
