import { PageLink } from '../parts/link/link.tsx';
import { TrustRootLink } from '../parts/link/signer-links.tsx';
import { Table } from '../parts/table/table.tsx';
import { State } from '../parts/text/state.tsx';
import { Text } from '../parts/text/text.tsx';
import { Time } from '../parts/text/time.tsx';
import { recallsOf } from './model/recalls.ts';
import { hostOf, identityText } from './model/signers.ts';
import type { Recall, Signer } from './operations.ts';

interface SignerTableProps {
  org: string;
  caption: string;
  signers: readonly Signer[];
  recalls: readonly Recall[];
}

/** Signers with whom they mean. */
export const SignerTable = ({ org, caption, signers, recalls }: SignerTableProps) => (
  <Table
    caption={caption}
    rows={signers}
    keyOf={({ name }) => name}
    isUnreadable={({ unreadable }) => unreadable === true}
    columns={[
      {
        head: 'Signer',
        cell: ({ name }) => (
          <>
            <PageLink page="signer" params={{ org, signer: name }} strong row>
              <Text>{name}</Text>
            </PageLink>{' '}
            {recallsOf(recalls, { signer: name }).length > 0 && <State state="recalled" />}
          </>
        ),
      },
      { head: 'Identity', wide: true, cell: (one) => <Text lines>{identityText(one) || 'the public key'}</Text> },
      { head: 'Proved by', cell: ({ issuer }) => <Text>{issuer === null ? '–' : hostOf(issuer)}</Text> },
      { head: 'Trust root', fit: true, cell: ({ trust_root: root }) => <TrustRootLink org={org} name={root} /> },
      { head: 'Changed', fit: true, cell: ({ changed_at: at }) => <Time at={at} show="ago" /> },
    ]}
  />
);
