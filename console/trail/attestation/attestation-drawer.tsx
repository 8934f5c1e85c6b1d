import { useNavigate } from '@tanstack/react-router';
import { useAnswer } from '../../client/live.ts';
import { usePreferences } from '../../client/preferences.ts';
import { read } from '../../client/query-client.ts';
import { stateOfReport } from '../../model/states.ts';
import { IconButton } from '../../parts/control/button.tsx';
import { Drawer } from '../../parts/page/drawer.tsx';
import { Empty } from '../../parts/page/empty.tsx';
import { Waiting } from '../../parts/page/panel.tsx';
import { Raw } from '../../parts/page/raw.tsx';
import { Json } from '../../parts/text/json.tsx';
import { State } from '../../parts/text/state.tsx';
import { Text } from '../../parts/text/text.tsx';
import { LogProof } from '../../proof/log-proof.tsx';
import type { ParamsOf } from '../../routes/params.ts';
import type { PageProps } from '../../routes/route.ts';
import { routePath } from '../../routes/route-path.ts';
import { overrideOf, overrideText } from '../model/override.ts';
import { recalledOf, type Slot, slotName, slotsOf } from '../model/trail.ts';
import { attestations, type Trail } from '../operations.ts';
import type { trailRoute } from '../routes.ts';
import styles from './attestation.module.css';
import { Components } from './components.tsx';
import { Facts } from './facts.tsx';
import { Files } from './files.tsx';
import { isEmpty } from './model/attestation.ts';
import { decisionOf, ownUserData } from './model/decision.ts';
import { Seal } from './seal.tsx';
import { KindView } from './views/kind-view.tsx';

interface DrawerProps {
  id: string;
  trail: Trail;
  params: ParamsOf<'trail'>;
  tab: PageProps<typeof trailRoute>['search']['tab'];
}

/** One attestation over the trail: verdict, who, when, what was found, files. The arrow keys walk through the others. */
export default function AttestationDrawer({ id, trail, params, tab }: DrawerProps) {
  const navigate = useNavigate();
  const slots = slotsOf(trail).filter(({ attestation }) => attestation !== null);
  const at = slots.findIndex(({ attestation, overridden }) => attestation === id || overridden === id);
  const slot = slots[at];
  const show = (attestation: string | undefined): void =>
    void navigate({
      to: routePath('trail'),
      params,
      search: { tab, attestation_id: attestation },
      resetScroll: false,
      replace: true,
    });
  const step = (by: number): void => {
    const next = slots[at + by]?.attestation;
    if (next) show(next);
  };
  return (
    <Drawer
      title={slot ? <Text>{slotName(slot.scope, slot.name)}</Text> : 'Attestation'}
      actions={
        <>
          <IconButton icon="back" label="Previous attestation" disabled={at <= 0} onClick={() => step(-1)} />
          <IconButton icon="next" label="Next attestation" disabled={at >= slots.length - 1} onClick={() => step(1)} />
        </>
      }
      onClose={() => show(undefined)}
      onKeyDown={({ key }) => {
        if (key === '[') step(-1);
        if (key === ']') step(1);
      }}
    >
      <Waiting rows={8}>
        <Details id={id} trail={trail} params={params} slot={slot} />
      </Waiting>
    </Drawer>
  );
}

interface DetailsProps {
  id: string;
  trail: Trail;
  params: ParamsOf<'trail'>;
  /** The place of the trail that the attestation fills, or filled before it was overridden. */
  slot: Slot | undefined;
}

function Details({ id, trail, params, slot }: DetailsProps) {
  const { zone } = usePreferences();
  const { data } = useAnswer(read(attestations, { org: params.org }, { attestation_id: id }));
  const [attestation] = data;
  if (!attestation) {
    return (
      <Empty sentence="No attestation of this organization has the id in the address." remedy={<code>{id}</code>} />
    );
  }
  const { attestation_type: type, is_compliant: compliant, description, erased } = attestation;
  const override = overrideOf(attestation);
  const decision = decisionOf(attestation);
  const userData = ownUserData(attestation, decision);
  return (
    <>
      <p className={styles['verdict']}>
        <State state={stateOfReport(type, compliant)} chip />
        {override && <Text lines>{capitalized(overrideText(override, zone))}</Text>}
      </p>
      {erased && (
        <p>The text of this attestation was erased. Its verdict and its place in the chain of hashes remain.</p>
      )}
      {description && (
        <p>
          <Text lines>{description}</Text>
        </p>
      )}
      <Seal org={params.org} attestation={attestation} recalled={recalledOf(trail).find((one) => one.id === id)} />
      {!erased && <KindView attestation={attestation} params={params} />}
      <Components org={params.org} attestation={attestation} />
      <Facts attestation={attestation} params={params} slot={slot} />
      <Files attestation={attestation} org={params.org} />
      {!isEmpty(userData) && (
        <section className={styles['part']}>
          <h3>User data</h3>
          <Json value={userData} what="user_data" />
        </section>
      )}
      <section className={styles['part']}>
        <h3>In the log</h3>
        <LogProof key={id} record={{ kind: 'attestation', org: params.org, trail, attestation }} />
      </section>
      <Raw value={attestation} path={`/attestations/${params.org}?attestation_id=${id}`} />
    </>
  );
}

const capitalized = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);
