import { runService } from '@artist-watch/runtime/lifecycle/lifecycle';
import { port, readSettings } from '@artist-watch/runtime/settings/settings';
import { z } from 'zod';
import { openMailbox } from './mailbox.js';

runService({
  name: 'mailbox',
  start: async () => {
    const settings = readSettings(
      {
        LISTEN_HOST: z.string().prefault('127.0.0.1'),
        MAILBOX_SMTP_PORT: port().prefault('2525'),
        MAILBOX_PORT: port().prefault('8025'),
      },
      process.env,
    );
    const mailbox = await openMailbox({
      host: settings.LISTEN_HOST,
      smtpPort: settings.MAILBOX_SMTP_PORT,
      httpPort: settings.MAILBOX_PORT,
    });
    return {
      addresses: { smtp: mailbox.smtpPort, mailbox: mailbox.httpPort },
      stop: () => mailbox.stop(),
    };
  },
});
