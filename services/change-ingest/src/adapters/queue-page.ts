import type { RequestListener } from 'node:http';
import { deliveryJobSchema } from '@artist-watch/contracts/jobs';
import type { DeliveryQueue } from '@artist-watch/delivery/queue/delivery-queue';
import { redactText } from '@artist-watch/observability/redaction';
import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { ExpressAdapter } from '@bull-board/express';
import express from 'express';

const PATH = '/queues';

/** The page and its parts come from here alone, and it asks nobody else. */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; " +
  "connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'self'";

/** What the page asks that goes through ShownJobs, or counts only. Flows and schedulers would not, and we have neither. */
const SHOWN_ANSWERS = /^\/api\/(queues|redis\/stats|queues\/[^/]+\/(?!job-schedulers)[^/]+(\/logs)?)\/?$/i;

export interface QueuePage {
  /** For the operations port: `/queues`; 404 for every other path. */
  readonly listener: RequestListener;
}

/** Bull Board over the queue, read-only: other methods than GET and HEAD are rejected here. */
export function createQueuePage(queue: DeliveryQueue['queue']): QueuePage {
  const page = new PageOfOurOwn();
  page.setBasePath(PATH);
  createBullBoard({
    queues: [new ShownJobs(queue, { readOnlyMode: true, allowRetries: false })],
    serverAdapter: page,
    options: { uiConfig: { boardTitle: 'Artist Watch queues', hideRedisDetails: true, showWorkers: false } },
  });

  const app = express();
  app.disable('x-powered-by');
  app.use(PATH, (request, response, next) => {
    response.setHeader('Content-Security-Policy', CONTENT_SECURITY_POLICY);
    response.setHeader('X-Content-Type-Options', 'nosniff');
    response.setHeader('Referrer-Policy', 'no-referrer');
    if (request.method === 'GET' || request.method === 'HEAD') next();
    else response.status(405).set('Allow', 'GET, HEAD').json({ error: 'method_not_allowed' });
  });
  app.use(PATH, (request, response, next) => {
    if (!/^\/api(\/|$)/i.test(request.path) || SHOWN_ANSWERS.test(request.path)) next();
    else response.status(404).json({ error: 'not_found' });
  });
  app.use(PATH, page.getRouter());
  app.use((_request, response) => {
    response.status(404).json({ error: 'not_found' });
  });
  return { listener: app };
}

type EntryRoute = Parameters<ExpressAdapter['setEntryRoute']>[0];

/** The page without what it would load from elsewhere (a font): whoever looks at it may have no way out. */
class PageOfOurOwn extends ExpressAdapter {
  override setEntryRoute({ route, handler }: EntryRoute): this {
    this.app.get(route, (_request, response, next) => {
      const { name, params } = handler({ basePath: this.basePath, uiConfig: this.uiConfig ?? {} });
      response.render(name, params, (error: Error | null, html: string) => {
        if (error) next(error);
        else response.send(html.replace(/<link[^>]*href="https?:[^>]*>/g, ''));
      });
    });
    return this;
  }
}

type ShownJob = NonNullable<Awaited<ReturnType<BullMQAdapter['getJob']>>>;
type JobFields = ReturnType<ShownJob['toJSON']>;

/**
 * Jobs as the page may show them: ids and times. What else somebody has put into the queue is not shown, since nobody knows
 * what is in it, nor are stacks; the reason of a failure may be a server's text, so it is redacted.
 */
class ShownJobs extends BullMQAdapter {
  override async getJob(id: string): Promise<ShownJob | undefined> {
    const job = await super.getJob(id);
    return job && shown(job);
  }

  override async getJobs(...range: Parameters<BullMQAdapter['getJobs']>): Promise<ShownJob[]> {
    return (await super.getJobs(...range)).map(shown);
  }

  override async getJobLogs(): Promise<string[]> {
    return [];
  }
}

function shown(job: ShownJob): ShownJob {
  return Object.create(job, { toJSON: { value: () => fieldsToShow(job.toJSON()) } }) as ShownJob;
}

function fieldsToShow(fields: JobFields): JobFields {
  const data = deliveryJobSchema.safeParse(fields.data);
  const { attempts, delay } = fields.opts ?? {};
  return {
    ...fields,
    name: data.success ? fields.name : '(not ours)',
    data: data.success ? data.data : {},
    opts: { ...(attempts === undefined ? {} : { attempts }), ...(delay === undefined ? {} : { delay }) },
    progress: {},
    returnvalue: null,
    stacktrace: [],
    failedReason: data.success ? redactText(fields.failedReason ?? '') : '',
  };
}
