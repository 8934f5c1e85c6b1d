import { Button } from '../control/button.tsx';
import { Id } from '../text/id.tsx';
import { Dialog, DialogFoot } from './dialog.tsx';
import { Fields } from './field.tsx';
import styles from './form.module.css';

interface SecretDialogProps {
  title: string;
  secret: string;
  /** Where it is used, and until when its predecessor works. */
  children?: React.ReactNode;
  onClose: () => void;
}

/** A secret, which no later answer contains. It is gone when the dialog is closed, so a click beside does not close it. */
export const SecretDialog = ({ title, secret, children, onClose }: SecretDialogProps) => (
  <Dialog title={title}>
    <Fields>
      <p>Copy it now. It is shown only here, and the service cannot show it again.</p>
      <p className={styles['secret']}>
        <Id what="secret">{secret}</Id>
      </p>
      {children}
    </Fields>
    <DialogFoot>
      <Button look="primary" onClick={onClose}>
        I have copied it
      </Button>
    </DialogFoot>
  </Dialog>
);
