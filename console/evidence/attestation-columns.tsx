import { stateOfReport } from '../model/states.ts';
import { PageLink } from '../parts/link/link.tsx';
import type { Column } from '../parts/table/table.tsx';
import { State } from '../parts/text/state.tsx';
import { Text } from '../parts/text/text.tsx';
import type { Attestation } from '../trail/operations.ts';

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
