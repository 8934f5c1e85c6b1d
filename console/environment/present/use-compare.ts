import { useNavigate } from '@tanstack/react-router';
import { routePath } from '../../routes/route-path.ts';

/** Opens the comparison of two snapshots, each written as `prod`, `prod#12` or `prod~1`. */
export function useCompare(org: string, a: string, b: string): () => void {
  const navigate = useNavigate();
  return () => void navigate({ to: routePath('compare'), params: { org }, search: { a, b } });
}
