import type { Attestation } from '../client/trails.ts';
import { stateOfReport } from '../model/states.ts';
import { PageLink } from './link.tsx';
import { State } from './state.tsx';
import type { Column } from './table.tsx';
import { Text } from './text.tsx';

type Named = Pick<Attestation, 'attestation_name' | 'attestation_id' | 'flow_name' | 'trail_name'>;

/** The name of an attestation, which leads to the attestation in its trail. */
export const attestationColumn = (org: string, head: string): Column<Named> => ({
  head,
  cell: ({ attestation_name: name, attestation_id: id, flow_name: flow, trail_name: trail }) => (
    <PageLink page="trail" params={{ org, flow, trail }} search={{ attestation_id: id }} strong row>
      <Text>{name}</Text>
    </PageLink>
  ),
});

export const resultColumn: Column<Pick<Attestation, 'attestation_type' | 'is_compliant'>> = {
  head: 'Result',
  fit: true,
  cell: ({ attestation_type: type, is_compliant: compliant }) => <State state={stateOfReport(type, compliant)} />,
};

export const byColumn: Column<Pick<Attestation, 'created_by'>> = {
  head: 'By',
  fit: true,
  cell: ({ created_by: by }) => <Text>{by}</Text>,
};
