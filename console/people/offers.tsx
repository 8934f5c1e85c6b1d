import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useUser } from '../account/user.ts';
import { ApiProblem } from '../client/api-problem.ts';
import { call } from '../client/call.ts';
import { Button } from '../parts/control/button.tsx';
import { ErrorPanel } from '../parts/page/error-panel.tsx';
import { Panel } from '../parts/page/panel.tsx';
import { Table } from '../parts/table/table.tsx';
import { Text } from '../parts/text/text.tsx';
import { offerReason } from './model/offers.ts';
import { joinOrganization, leaveOrganization, type Offer } from './operations.ts';

interface OffersProps {
  /** Shows only the offer of this organization. */
  org?: string;
  /** Is called after the caller joined. */
  onJoined?: () => void;
}

/** Organizations that the caller may join; nothing if there is none. Until then, they know nothing of the caller. */
export function Offers({ org, onJoined }: OffersProps) {
  const me = useUser();
  const queries = useQueryClient();
  const [problem, setProblem] = useState<ApiProblem>();
  const offers = me?.offers.filter(({ organization }) => org === undefined || organization === org) ?? [];
  if (!me || offers.length === 0) return null;
  const answer = async (operation: typeof joinOrganization | typeof leaveOrganization, { organization }: Offer) => {
    try {
      await call(operation, { org: organization }, {});
      setProblem(undefined);
      await queries.invalidateQueries();
      if (operation === joinOrganization) onJoined?.();
    } catch (error) {
      if (!(error instanceof ApiProblem)) throw error;
      setProblem(error);
    }
  };
  return (
    <Panel title="Offers" note="an organization sees you, and what you do there, only after you joined">
      {problem && <ErrorPanel error={problem} isWrite />}
      <Table
        caption="Offers"
        rows={offers}
        keyOf={({ organization }) => organization}
        columns={[
          {
            head: 'Organization',
            cell: (offer) => (
              <>
                <Text>{offer.organization}</Text> <Text>{offerReason(offer)}</Text>
              </>
            ),
          },
          { head: 'Role', fit: true, cell: ({ role }) => role },
          {
            head: 'Answer',
            fit: true,
            cell: (offer) => (
              <>
                <Button
                  look={offer.declined ? 'normal' : 'primary'}
                  onClick={() => void answer(joinOrganization, offer)}
                >
                  Join
                </Button>{' '}
                {offer.declined ? (
                  'you answered «not now»'
                ) : (
                  <Button onClick={() => void answer(leaveOrganization, offer)}>Not now</Button>
                )}
              </>
            ),
          },
        ]}
      />
      <p>
        There you are called <Text>{me.name}</Text>.
      </p>
    </Panel>
  );
}
