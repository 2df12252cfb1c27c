import { useQuery } from '@tanstack/react-query';
import { plainLabel } from '../fleet/words.js';
import { counted } from '../parts/counted.js';
import { service } from '../service.js';

/** The machine, and its tmux. */
export function SystemLine() {
  const system = useQuery({
    queryKey: ['system'],
    queryFn: ({ signal }) => service.system({ signal }),
    staleTime: 60_000,
  });
  const tmux = useQuery({
    queryKey: ['tmux'],
    queryFn: ({ signal }) => service.tmux({ signal }),
    refetchInterval: 10_000,
  });
  return (
    <p className="system">
      {system.data && (
        <span>
          <strong>{plainLabel(system.data.hostname)}</strong> {system.data.platform} {system.data.arch},
          service {system.data.version}
        </span>
      )}
      {tmux.data && (
        <span>
          {tmux.data.available
            ? `tmux found, ${counted(tmux.data.active_sessions, 'terminal')} in it`
            : 'tmux not found'}
        </span>
      )}
    </p>
  );
}
