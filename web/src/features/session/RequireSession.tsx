import { useQuery } from "@tanstack/react-query";
import { Navigate, Outlet, useLocation } from "react-router";
import { isFailure } from "@/api/failure";
import { ErrorState } from "@/ui/ErrorState";
import { Splash } from "@/ui/Splash";
import { ForcedPasswordPage } from "./ForcedPasswordPage";
import { meQuery } from "./me";
import { SessionExpired } from "./SessionExpired";

/** Lets through whoever is signed in and has a password of their own; the others are led there first. */
export function RequireSession() {
  const me = useQuery(meQuery);
  const location = useLocation();
  if (me.isPending) return <Splash />;
  if (!me.data) {
    if (isFailure(me.error, "unauthenticated")) {
      const here = location.pathname + location.search;
      return <Navigate to={here === "/" ? "/sign-in" : `/sign-in?next=${encodeURIComponent(here)}`} replace />;
    }
    return <ErrorState error={me.error} onRetry={() => void me.refetch()} />;
  }
  if (me.data.must_change_password) return <ForcedPasswordPage />;
  return (
    <>
      <Outlet />
      <SessionExpired />
    </>
  );
}
