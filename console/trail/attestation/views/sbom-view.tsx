import { KeyValues } from '../../../parts/page/key-values.tsx';
import { Text } from '../../../parts/text/text.tsx';
import type { SbomView as Model } from '../model/sbom.ts';
import { Notice, View } from './view.tsx';

/** A software bill of materials: what the service found in the file, and where the reporter stated something else. */
export const SbomView = ({ view, children }: { view: Model; children?: React.ReactNode }) => (
  <View title="Software bill of materials" sentence={view.sentence}>
    {view.differences.map((difference) => (
      <Notice key={difference}>{difference}</Notice>
    ))}
    <KeyValues rows={view.rows.map(([label, text]) => [label, <Text key={label}>{text}</Text>] as const)} />
    {children}
  </View>
);
