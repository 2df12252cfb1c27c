import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { useFleet } from '../fleet/fleet-store.js';
import { queries, SESSION_KEY } from '../parts/queries.js';
import { service } from '../service.js';
import { LoginForm } from './login-form.js';

/** Shows the dashboard, or the login where the service is open to other machines and this browser has no session. */
export function Gate({ children }: { children: ReactNode }) {
  const link = useFleet((state) => state.link);
  const { data: session } = useQuery({
    queryKey: SESSION_KEY,
    queryFn: ({ signal }) => service.session.get({ signal }),
  });
  const reload = () => void queries.invalidateQueries({ queryKey: SESSION_KEY });
  useEffect(() => {
    // The session may have ended, or the service may just have been opened to other machines.
    if (link === 'offline') void queries.invalidateQueries({ queryKey: SESSION_KEY });
  }, [link]);
  if (session?.needed && !session.active) return <LoginForm onLoggedIn={reload} />;
  // Until there is an answer, the pages themselves report what is wrong.
  return children;
}
