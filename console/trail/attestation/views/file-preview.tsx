import { useAnswer } from '../../../client/live.ts';
import { Code } from '../../../parts/text/code.tsx';
import { Text } from '../../../parts/text/text.tsx';
import type { Preview } from '../../operations.ts';
import { isDamage, packagesIn, previewNote, scanOf, textsOf } from '../model/preview.ts';
import { Folded } from './folded.tsx';
import { PackageList } from './package-list.tsx';
import { type FilePlace, readPreview } from './read-preview.ts';
import { ScannedList } from './scan-view.tsx';
import { Notice } from './view.tsx';
import styles from './views.module.css';

/** What can be shown of an attached file: its findings or packages, then its text or picture. Nothing of it is ever markup. */
export function FilePreview({ place, filename }: { place: FilePlace; filename: string }) {
  const preview = useAnswer(readPreview(place));
  const [note, scan, packages] = [previewNote(preview), scanOf(preview), packagesIn(preview)];
  return (
    <div className={styles['view']}>
      {note !== '' && <Notice tone={isDamage(preview) ? 'bad' : 'quiet'}>{note}</Notice>}
      <Picture preview={preview} filename={filename} />
      {scan && (
        <>
          <p>{scan.sentence}</p>
          <ScannedList found={scan.found} />
        </>
      )}
      {packages && <PackageList packages={packages} />}
      {textsOf(preview).map(({ name, text, isCut }) =>
        name === null ? (
          <Code key="file" what={filename} wrap>
            {text}
          </Code>
        ) : (
          <Folded
            key={name}
            summary={
              <>
                <Text>{name}</Text>
                {isCut && ' (its beginning)'}
              </>
            }
          >
            <Code what={name} wrap>
              {text}
            </Code>
          </Folded>
        ),
      )}
    </div>
  );
}

/** The types that the service knows by the bytes of a file. An address is made for no other type. */
const PICTURES: readonly (string | null)[] = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

const Picture = ({ preview: { data, media_type: type }, filename }: { preview: Preview; filename: string }) =>
  data !== null && PICTURES.includes(type) ? (
    <img className={styles['picture']} src={`data:${type};base64,${data}`} alt={`Content of ${filename}`} />
  ) : null;
