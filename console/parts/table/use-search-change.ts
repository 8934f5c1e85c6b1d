import { useNavigate } from '@tanstack/react-router';

/**
 * Changes parameters of the present address: filters of a list. The list then begins at its first page. An empty value
 * removes its parameter.
 */
export function useSearchChange(): (change: Readonly<Record<string, string | undefined>>) => void {
  const navigate = useNavigate();
  return (change) =>
    void navigate({
      to: '.',
      search: (before) => ({ ...before, page: undefined, cursor: undefined, ...change }),
      replace: true,
      resetScroll: false,
    });
}
