import { PUBLIC_ROOT } from '../../signer/model/public-root.ts';
import { Text } from '../text/text.tsx';
import { PageLink } from './link.tsx';

interface TrustRootLinkProps {
  org: string;
  name: string;
}

/** A trust root by its name. The public one has no page. */
export const TrustRootLink = ({ org, name }: TrustRootLinkProps) =>
  name === PUBLIC_ROOT ? (
    <Text>{name}</Text>
  ) : (
    <PageLink page="trust-root" params={{ org, root: name }}>
      <Text>{name}</Text>
    </PageLink>
  );

interface SignerLinkProps {
  org: string;
  name: string;
}

export const SignerLink = ({ org, name }: SignerLinkProps) => (
  <PageLink page="signer" params={{ org, signer: name }}>
    <Text>{name}</Text>
  </PageLink>
);
