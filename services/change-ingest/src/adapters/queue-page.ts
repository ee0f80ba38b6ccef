import type { RequestListener } from 'node:http';
import { deliveryJobSchema } from '@artist-watch/contracts/jobs';
import type { DeliveryQueue } from '@artist-watch/delivery/queue/delivery-queue';
import { redactText } from '@artist-watch/observability/logger';
import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { ExpressAdapter } from '@bull-board/express';
import express from 'express';

const PATH = '/queues';

/** The page may load content only from its own origin. */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; " +
  "connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'self'";

/** Responses from these Bull Board paths are redacted or contain only counts. */
const SAFE_PATHS = /^\/api\/(queues|redis\/stats|queues\/[^/]+\/(?!job-schedulers)[^/]+(\/logs)?)\/?$/i;

export interface QueuePage {
  readonly listener: RequestListener;
}

export function createQueuePage(queue: DeliveryQueue['queue']): QueuePage {
  const page = new OfflinePage();
  page.setBasePath(PATH);
  createBullBoard({
    queues: [new RedactedJobs(queue, { readOnlyMode: true, allowRetries: false })],
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
    if (!/^\/api(\/|$)/i.test(request.path) || SAFE_PATHS.test(request.path)) next();
    else response.status(404).json({ error: 'not_found' });
  });
  app.use(PATH, page.getRouter());
  app.use((_request, response) => {
    response.status(404).json({ error: 'not_found' });
  });
  return { listener: app };
}

type EntryRoute = Parameters<ExpressAdapter['setEntryRoute']>[0];

/** Removes a font that Bull Board would load from another host, because the network may not have internet access. */
class OfflinePage extends ExpressAdapter {
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

type BoardJob = NonNullable<Awaited<ReturnType<BullMQAdapter['getJob']>>>;
type JobFields = ReturnType<BoardJob['toJSON']>;

/** Hides stack traces and jobs other than deliveries. Redacts failure reasons, which may quote a customer's server. */
class RedactedJobs extends BullMQAdapter {
  override async getJob(id: string): Promise<BoardJob | undefined> {
    const job = await super.getJob(id);
    return job && redacted(job);
  }

  override async getJobs(...range: Parameters<BullMQAdapter['getJobs']>): Promise<BoardJob[]> {
    return (await super.getJobs(...range)).map(redacted);
  }

  override async getJobLogs(): Promise<string[]> {
    return [];
  }
}

function redacted(job: BoardJob): BoardJob {
  return Object.create(job, { toJSON: { value: () => redactFields(job.toJSON()) } }) as BoardJob;
}

function redactFields(fields: JobFields): JobFields {
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
