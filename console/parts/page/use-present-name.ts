import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';

/** A record that was found by a name that it had before. */
export interface Renamed {
  what: 'environment' | 'flow';
  from: string;
}

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** Why the address of this entry of the history was replaced. The head of the page says it. */
    renamed?: Renamed;
  }
}

const PARAMETERS = { environment: 'env', flow: 'flow' } as const;

/**
 * Replaces the address of the page if it holds a former name: the API finds flows and environments by these, too.
 * Everything else of the address stays.
 */
export function usePresentName(what: Renamed['what'], given: string, present: string): void {
  const navigate = useNavigate();
  useEffect(() => {
    if (present === '' || given === present) return;
    void navigate({
      to: '.',
      params: (before) => ({ ...before, [PARAMETERS[what]]: present }),
      search: true,
      state: { renamed: { what, from: given } },
      replace: true,
      resetScroll: false,
    });
  }, [navigate, what, given, present]);
}
