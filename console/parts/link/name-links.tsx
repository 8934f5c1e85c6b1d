import { Text } from '../text/text.tsx';
import { PageLink } from './link.tsx';

interface NamesProps<T> {
  items: readonly T[];
  keyOf: (item: T) => string;
  link: (item: T) => React.ReactNode;
}

/** Names in one line, each with a link. */
const Names = <T,>({ items, keyOf, link }: NamesProps<T>) =>
  items.map((item, n) => (
    <span key={keyOf(item)}>
      {n > 0 && ', '}
      {link(item)}
    </span>
  ));

const same = (name: string): string => name;

/** Environments in one line, each with a link to its page. */
export const EnvironmentLinks = ({ org, environments }: { org: string; environments: readonly string[] }) => (
  <Names
    items={environments}
    keyOf={same}
    link={(env) => (
      <PageLink page="environment" params={{ org, env }}>
        <Text>{env}</Text>
      </PageLink>
    )}
  />
);

/** Flows in one line, each with a link to its page. */
export const FlowLinks = ({ org, flows }: { org: string; flows: readonly string[] }) => (
  <Names
    items={flows}
    keyOf={same}
    link={(flow) => (
      <PageLink page="flow" params={{ org, flow }}>
        <Text>{flow}</Text>
      </PageLink>
    )}
  />
);

/** Policies in one line, each with a link to its page. */
export const PolicyLinks = ({ org, policies }: { org: string; policies: readonly string[] }) => (
  <Names
    items={policies}
    keyOf={same}
    link={(policy) => (
      <PageLink page="policy" params={{ org, policy }}>
        <Text>{policy}</Text>
      </PageLink>
    )}
  />
);

interface VersionLinksProps {
  org: string;
  policies: readonly { name: string; version: number }[];
}

/** Versions of policies in one line, each with a link to its page. */
export const VersionLinks = ({ org, policies }: VersionLinksProps) => (
  <Names
    items={policies}
    keyOf={({ name, version }) => `${name} ${version}`}
    link={({ name, version }) => (
      <PageLink page="policy" params={{ org, policy: name }} search={{ version }}>
        <Text>{name}</Text> v{version}
      </PageLink>
    )}
  />
);
