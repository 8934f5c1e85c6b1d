import { useOrganization } from '../account/user.ts';
import { Writes } from '../parts/form/writes.tsx';
import { KeyValues } from '../parts/page/key-values.tsx';
import { Panel } from '../parts/page/panel.tsx';
import { switchFeatures } from './forms.ts';

const LABELS: Readonly<Record<string, string>> = {
  public_log: 'log that anybody may read',
  trail_moments: 'moments of trails',
};

/** The features of the organization. Administrators switch the beta features together; the operator switches the others. */
export function Features({ org }: { org: string }) {
  const features = useOrganization(org)?.features;
  return (
    <Panel
      title="Features"
      actions={<Writes org={org} writes={[switchFeatures(org, true), switchFeatures(org, false)]} />}
      note="the beta features are switched together"
    >
      {features && (
        <KeyValues rows={Object.entries(features).map(([name, isOn]) => [LABELS[name] ?? name, isOn ? 'on' : 'off'])} />
      )}
    </Panel>
  );
}
