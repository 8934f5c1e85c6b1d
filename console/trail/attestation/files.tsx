import { useState } from 'react';
import { ApiProblem } from '../../client/api-problem.ts';
import { call } from '../../client/call.ts';
import { outgoingLink } from '../../model/link-guard.ts';
import { Button } from '../../parts/control/button.tsx';
import { Icon } from '../../parts/control/icons.tsx';
import { ErrorPanel } from '../../parts/page/error-panel.tsx';
import { Waiting } from '../../parts/page/panel.tsx';
import { Id } from '../../parts/text/id.tsx';
import { Text } from '../../parts/text/text.tsx';
import { type Attestation, attachment } from '../operations.ts';
import styles from './attestation.module.css';
import { fileSize } from './model/attestation.ts';
import { FilePreview } from './views/file-preview.tsx';

/** The attached files. A preview shows a file as text or as a picture and never as markup: evidence may hold anything. */
export function Files({ attestation, org }: { attestation: Attestation; org: string }) {
  const { attachments, attestation_id: id } = attestation;
  const [opened, setOpen] = useState<readonly number[]>([]);
  const isOpen = (n: number): boolean => opened.includes(n);
  const [problem, setProblem] = useState<ApiProblem>();
  if (attachments.length === 0) return null;

  /** The address is valid for minutes and makes the browser save the file. So it is asked for when it is needed. */
  const save = async (n: number): Promise<void> => {
    try {
      const { download_url: url } = await call(attachment, { org, attestation_id: id, n: String(n) }, {});
      const link = outgoingLink(url);
      if (link) location.assign(link.href);
    } catch (error) {
      if (!(error instanceof ApiProblem)) throw error;
      setProblem(error);
    }
  };

  return (
    <section className={styles['part']}>
      <h3>Files</h3>
      <ul className={styles['files']}>
        {attachments.map(({ filename, size, content_type: type, sha256, erased }, n) => (
          <li key={`${filename} ${sha256}`} className={styles['file']}>
            <div className={styles['line']}>
              <Icon name="file" />
              <Text>{filename}</Text>
              <span className={styles['quiet']}>
                {fileSize(size)}, said to be <Text>{type}</Text>
              </span>
              {erased ? (
                <span className={styles['quiet']}>erased</span>
              ) : (
                <span className={styles['line']}>
                  <Button
                    onClick={() => setOpen(isOpen(n) ? opened.filter((one) => one !== n) : [...opened, n])}
                    aria-expanded={isOpen(n)}
                  >
                    Preview
                  </Button>
                  <Button onClick={() => void save(n)}>Download</Button>
                </span>
              )}
            </div>
            {sha256 !== null && (
              <p className={styles['quiet']}>
                SHA-256 <Id what="SHA-256 of the file">{sha256}</Id>
              </p>
            )}
            {isOpen(n) && (
              <Waiting rows={3}>
                <FilePreview place={{ org, attestation: id, n }} filename={filename} />
              </Waiting>
            )}
          </li>
        ))}
      </ul>
      {problem && <ErrorPanel error={problem} />}
    </section>
  );
}
