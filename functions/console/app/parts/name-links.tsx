import { PageLink } from './link.tsx';
import { Text } from './text.tsx';

/** Policies in one line, each with a link to its page. */
export const PolicyLinks = ({ org, policies }: { org: string; policies: readonly string[] }) =>
  policies.map((policy, n) => (
    <span key={policy}>
      {n > 0 && ', '}
      <PageLink page="policy" params={{ org, policy }}>
        <Text>{policy}</Text>
      </PageLink>
    </span>
  ));
