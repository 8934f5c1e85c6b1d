import { PageLink } from '../parts/link/link.tsx';
import { StateMark } from '../parts/text/state.tsx';
import { Text } from '../parts/text/text.tsx';
import { Time } from '../parts/text/time.tsx';
import type { ExposedArtifact } from './operations.ts';

interface StatementsProps {
  org: string;
  said: ExposedArtifact['statements'];
}

/** What was said of an artifact: of which vulnerability, why, by whom and when. */
export const Statements = ({ org, said }: StatementsProps) =>
  said.map(({ attestation_id: id, vulnerability, status, justification, part, signer, ...one }) => (
    <div key={`${id} ${vulnerability} ${part} ${status}`}>
      <StateMark state={one.grade} /> <Text>{vulnerability}</Text> {status.replaceAll('_', ' ')}, said by{' '}
      <Text>{signer ?? one.reported_by}</Text>{' '}
      <PageLink page="trail" params={{ org, flow: one.flow_name, trail: one.trail_name }}>
        <Time at={one.reported_at} />
      </PageLink>
      {justification !== null && (
        <>
          : <Text>{justification}</Text>
        </>
      )}
    </div>
  ));
