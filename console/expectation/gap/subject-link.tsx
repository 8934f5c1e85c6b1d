import { PageLink } from '../../parts/link/link.tsx';
import { Text } from '../../parts/text/text.tsx';
import { type NamedSubject, subjectText } from '../model/gaps.ts';

interface SubjectLinkProps {
  org: string;
  subject: NamedSubject;
  /** By default its name as gaps have it. */
  text?: string;
  /** Whether it is the name of a row. */
  row?: boolean;
}

/** What an expectation is about, with a link to its page. */
export function SubjectLink({ org, subject, text: name = subjectText(subject), row = false }: SubjectLinkProps) {
  const text = <Text>{name}</Text>;
  const { type, environment: env, flow, trail, fingerprint } = subject;
  if (type === 'environment' && env !== undefined) {
    return (
      <PageLink page="environment" params={{ org, env }} strong={row} row={row}>
        {text}
      </PageLink>
    );
  }
  if (type === 'trail' && flow !== undefined && trail !== undefined) {
    return (
      <PageLink page="trail" params={{ org, flow, trail }} strong={row} row={row}>
        {text}
      </PageLink>
    );
  }
  if (type === 'flow' && flow !== undefined) {
    return (
      <PageLink page="flow" params={{ org, flow }} strong={row} row={row}>
        {text}
      </PageLink>
    );
  }
  if (type === 'artifact' && fingerprint !== undefined) {
    return (
      <PageLink page="search" params={{ org }} search={{ q: fingerprint }} strong={row} row={row}>
        {text}
      </PageLink>
    );
  }
  return text;
}
