import { EnvironmentLinks, FlowLinks } from '../../parts/link/name-links.tsx';
import type { Action } from '../operations.ts';

/** The flows or environments that an action watches, each as a link. */
export function Watched({ org, action: { type, flows, environments } }: { org: string; action: Action }) {
  if (type === 'env') return <EnvironmentLinks org={org} environments={environments} />;
  return flows.length === 0 ? 'every flow' : <FlowLinks org={org} flows={flows} />;
}
