<?php

declare(strict_types=1);

namespace App\Billing;

use App\Models\Customer;
use Psr\Log\{LoggerInterface, NullLogger as Quiet};

const TAX = 0.2;
define('LIMIT', 10);

/**
 * An invoice.
 */
#[Entity]
final class Invoice extends Document implements Payable
{
    use Timestamps;

    public const CURRENCY = 'EUR';
    private ?Customer $customer = null;

    public function __construct(private int $total)
    {
    }

    /** Adds a line. */
    #[Pure]
    public function add(string $sku, int $count = 1): static
    {
        $this->lines[] = [$sku, $count];
        return $this;
    }
}

interface Payable
{
    public function pay(): void;
}

trait Timestamps
{
    protected $createdAt;
    abstract function touch();
}

enum Status: string
{
    case Open = 'open';
    public function label(): string { return ucfirst($this->value); }
}

function render(Invoice $invoice): string
{
    return (string) $invoice;
}
