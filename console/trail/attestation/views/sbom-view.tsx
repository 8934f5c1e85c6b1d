import { useAnswer } from '../../../client/live.ts';
import { KeyValues } from '../../../parts/page/key-values.tsx';
import { Waiting } from '../../../parts/page/panel.tsx';
import { Text } from '../../../parts/text/text.tsx';
import { packagesIn } from '../model/preview.ts';
import type { SbomView as Model } from '../model/sbom.ts';
import { PackageList } from './package-list.tsx';
import { type FilePlace, readPreview } from './read-preview.ts';
import { Notice, View } from './view.tsx';

/** A software bill of materials: what the service found in the file, and where the reporter stated something else. */
export const SbomView = ({ view, place }: { view: Model; place: FilePlace | null }) => (
  <View title="Software bill of materials" sentence={view.sentence}>
    {view.differences.map((difference) => (
      <Notice key={difference}>{difference}</Notice>
    ))}
    <KeyValues rows={view.rows.map(([label, text]) => [label, <Text key={label}>{text}</Text>] as const)} />
    {place && (
      <Waiting rows={2}>
        <Packages place={place} />
      </Waiting>
    )}
  </View>
);

/** The packages of the attached file. A file that is long, packed or no JSON has no list: the facts above are all that is known. */
function Packages({ place }: { place: FilePlace }) {
  const packages = packagesIn(useAnswer(readPreview(place)));
  if (packages === null)
    return (
      <Notice tone="quiet">Packages are listed for files in JSON of at most 256 KB. Download the file for all.</Notice>
    );
  return packages.length === 0 ? null : (
    <>
      <h4>Packages</h4>
      <PackageList packages={packages} />
    </>
  );
}
