import type { Action } from '../../client/actions.ts';
import { PageLink } from '../../parts/link.tsx';
import { Text } from '../../parts/text.tsx';

/** The flows or environments that an action watches, each as a link. */
export function Watched({ org, action: { type, flows, environments } }: { org: string; action: Action }) {
  if (type === 'env') {
    return environments.map((env, n) => (
      <span key={env}>
        {n > 0 && ', '}
        <PageLink page="environment" params={{ org, env }}>
          <Text>{env}</Text>
        </PageLink>
      </span>
    ));
  }
  if (flows.length === 0) return 'every flow';
  return flows.map((flow, n) => (
    <span key={flow}>
      {n > 0 && ', '}
      <PageLink page="flow" params={{ org, flow }}>
        <Text>{flow}</Text>
      </PageLink>
    </span>
  ));
}
