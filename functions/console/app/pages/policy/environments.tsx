import { PageLink } from '../../parts/link.tsx';
import { Text } from '../../parts/text.tsx';

/** The environments of a policy, each as a link. */
export const Environments = ({ org, names }: { org: string; names: readonly string[] }) =>
  names.length === 0
    ? 'none'
    : names.map((env, n) => (
        <span key={env}>
          {n > 0 && ', '}
          <PageLink page="environment" params={{ org, env }}>
            <Text>{env}</Text>
          </PageLink>
        </span>
      ));
